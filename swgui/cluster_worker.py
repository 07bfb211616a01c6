"""The name under which ``dask worker --preload swgui.cluster_worker`` knows the worker."""

from swgui.jobs.cluster.worker import dask_setup

__all__ = ["dask_setup"]
