"""The ``cluster`` engine: one search over several machines, through Dask's ``distributed``.

The optional extra ``cluster``. Responsibilities:

* Dask carries messages, names workers and notices when they leave. It decides nothing about the work.
* `shards` cuts the database into shards and the search into work units. Pure, no Dask.
* `session` runs on the client: the connection, and the workers found there.
* `run` distributes a search among them: each free worker gets the next unit.
* `scorer` runs in each worker: it keeps shards and one local engine. No Dask, no files; the module that starts the
  worker (`swgui.jobs.cluster.worker`) hands it the functions that find files and make engines.
* `tasks` holds the only functions that travel, and they travel by name.
* `security` checks addresses, certificates and settings before a connection.
* `ending` is for the end of an event loop, on either side.
* `engine` is the module for the registry. Only `session`, `tasks` and one function of `security` import Dask.
"""
