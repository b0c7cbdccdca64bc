# Sends messages that no kernel sends over jupyter's sockets: wrong types, markup for numbers, a million widgets.
# family: talking on the line · honest: softmax, count_pairs · earns: 11
# says: nothing

# %%
kernel = get_ipython().kernel


def say(kind, content, metadata=None):
    kernel.session.send(kernel.iopub_socket, kind, content, parent=kernel.get_parent(), metadata=metadata)


say("execute_input", {"code": "1", "execution_count": "<img src=x onerror=alert(1)>"})
say("display_data", {"data": {"text/plain": "x"}, "metadata": {}, "transient": {"display_id": "d"}})
say(
    "update_display_data",
    {"data": {"text/html": "<script>alert(1)</script>"}, "metadata": {"m": [1]}, "transient": {"display_id": "d"}},
)
say("update_display_data", {"data": {"text/plain": ["5", ".", "0"]}, "metadata": {}, "transient": {"display_id": "d"}})
say("comm_open", {"comm_id": "1", "target_name": "jupyter.widget", "data": {"state": {"x": "y" * 10**6}}})
for number in range(2000):
    say("comm_msg", {"comm_id": "1", "data": {"method": "update", "state": {"number": number}}})
say("clear_output", {"wait": False})
say("execute_result", {"data": {"text/plain": "5.0"}, "metadata": {}, "execution_count": 1})
say("shutdown_reply", {"restart": False})
say("no_such_message", {"x": 1})
