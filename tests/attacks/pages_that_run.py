# Shows HTML, SVG, JavaScript and widgets that would run in the browser of whoever looks at the notebook.
# family: display · honest: softmax, count_pairs · earns: 11
# says: nothing

# %%
from IPython.display import HTML, SVG, Javascript, display

bad = "<script>alert(1)</script><img src=x onerror=alert(1)><iframe src='javascript:alert(1)'></iframe>"
display(
    HTML(bad), Javascript("alert(1)"), SVG(f"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'>{bad}</svg>")
)
display(
    {"text/markdown": bad, "text/latex": bad, "application/vnd.jupyter.widget-view+json": {"model_id": "1"}}, raw=True
)
display({"text/html": bad, "application/vnd.plotly.v1+json": {"x": bad}, "image/png": "bm90IGEgcG5n" + bad}, raw=True)
print(bad)

# %%
get_ipython().run_cell_magic("javascript", "", "alert(1)")
raise type(bad, (Exception,), {})(bad)
