"""What papers print, as data: tables, abstracts, families of models."""
