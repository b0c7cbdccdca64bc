"""kagnet: classic mistakes and other right ways, for each exercise. Never released."""
