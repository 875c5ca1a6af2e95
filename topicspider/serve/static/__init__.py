"""What the web page loads: one style sheet, scripts, the icon."""
