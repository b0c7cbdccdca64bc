"""The course's tables, installed as the package `etude_data` so that code finds them from a checkout and from a wheel."""
