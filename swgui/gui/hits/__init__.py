"""The hits of one query as columns: values, filters, order. Shared by table and views."""
