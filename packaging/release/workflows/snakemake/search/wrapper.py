"""Search a database with swgui."""

__author__ = "the swgui developers"
__license__ = "BSD-3-Clause"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")  # noqa: F821
log = snakemake.log_fmt_shell(stdout=False, stderr=True)  # noqa: F821

shell(
    "swgui search -q {snakemake.input.query} -d {snakemake.input.database} -o {snakemake.output[0]} "
    "--threads {snakemake.threads} {extra} {log}"
)
