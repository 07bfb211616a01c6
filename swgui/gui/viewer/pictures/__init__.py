"""Pictures, figures and print."""
