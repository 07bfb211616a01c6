"""The files for collections of workflow programs: their commands run, and what they name is there."""

import re
from xml.etree import ElementTree

import pytest
import yaml

from swgui.cli import main
from swgui.io.export import FORMATS

NF_CORE = {
    "search": {"${queries}": "query.fasta", "${database}": "proteins.fasta", "${prefix}.tsv": "hits.tsv",
               "${task.cpus}": "1", "${engine}": "--engine cpu", "${args}": "--top 3"},
    "makedb": {"${sequences}": "proteins.fasta", "${prefix}.swdb": "proteins.swdb", "${args}": ""},
}  # fmt: skip
GALAXY = {
    "swgui_search": {"'$query'": "query.fasta", "'$database'": "proteins.fasta", "'$hits'": "hits.tsv",
                     "'$format'": "blast6", "$top": "3", "$evalue": "10", '"\\${GALAXY_SLOTS:-1}"': "1"},
    "swgui_makedb": {"#for $one in $sequences# '$one' #end for#": "proteins.fasta"},
}  # fmt: skip


@pytest.fixture
def workflows(repository):
    return repository / "packaging" / "release" / "workflows"


@pytest.fixture
def folder(workflows, tmp_path, monkeypatch):
    """A folder with the test data, where commands run."""
    for name in ("query.fasta", "proteins.fasta"):
        (tmp_path / name).write_bytes((workflows / "galaxy" / "test-data" / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command, values):
    """Run a command in which values stand for what a workflow program fills in."""
    for key, value in values.items():
        assert key in command, key
        command = command.replace(key, value)
    assert not re.search(r"[{}$#]", command), command
    program, *words = command.split()
    assert program == "swgui"
    assert main(words) == 0


def check_outputs(folder):
    if (hits := folder / "hits.tsv").exists():
        rows = [line.split("\t") for line in hits.read_text().splitlines()]
        assert len({row[1] for row in rows}) == 3
        assert all(len(row) == 12 for row in rows)
        assert rows[0][:3] == ["sp|P69905|HBA_HUMAN", "sp|P69905|HBA_HUMAN", "100.000"]
    else:
        assert any(path.suffix == ".swdb" and path.stat().st_size > 1000 for path in folder.iterdir())


@pytest.mark.parametrize("name", NF_CORE)
def test_the_commands_of_nf_core_modules_run(workflows, folder, name):
    text = (workflows / "nf-core" / "swgui" / name / "main.nf").read_text("utf-8").replace("\\\\\n", " ")
    (command,) = re.findall(rf"^ +(swgui {name} .*)$", text, re.MULTILINE)
    run(command, NF_CORE[name])
    check_outputs(folder)


@pytest.mark.parametrize("name", NF_CORE)
def test_nf_core_modules_have_what_their_collection_asks_for(workflows, name):
    home = workflows / "nf-core" / "swgui" / name
    text = (home / "main.nf").read_text("utf-8")
    meta = yaml.safe_load((home / "meta.yml").read_text("utf-8"))
    assert meta["name"] == f"swgui_{name}"
    assert f"process {meta['name'].upper()} {{" in text
    for words in ("task.ext.args", "task.ext.prefix", "stub:", "versions.yml", "task.ext.when"):
        assert words in text
    assert set(re.findall(r"emit: (\w+)", text)) == set(meta["output"])
    described = {key for channel in meta["input"] for element in channel for key in element}
    assert set(re.findall(r"(?:val|path)\((\w+)\)", text.split("output:")[0])) == described
    (package,) = yaml.safe_load((home / "environment.yml").read_text("utf-8"))["dependencies"]
    pinned = re.search(r"swgui-core=([\d.]+)", package)[1]
    assert set(re.findall(r"swgui-core:([\d.]+)--", text)) == {pinned}
    assert "SWGUI_" + name.upper() in (home / "tests" / "main.nf.test").read_text("utf-8")


@pytest.mark.parametrize("name", GALAXY)
def test_the_commands_of_galaxy_tools_run(workflows, folder, name):
    tool = ElementTree.parse(workflows / "galaxy" / f"{name}.xml").getroot()
    (command,) = re.findall(r"^swgui .*$", tool.find("command").text, re.MULTILINE)
    run(command, GALAXY[name])
    check_outputs(folder)


def test_galaxy_tools_name_files_formats_and_tables_that_there_are(workflows):
    galaxy = workflows / "galaxy"
    macros = {one.get("name") for one in ElementTree.parse(galaxy / "macros.xml").getroot()}
    for path in galaxy.glob("swgui_*.xml"):
        tool = ElementTree.parse(path).getroot()
        assert tool.get("id") == path.stem
        assert {one.get("macro") for one in tool.iter("expand")} <= macros
        for parameter in tool.find("tests").iter("param"):
            if parameter.get("value").endswith(".fasta"):
                assert (galaxy / "test-data" / parameter.get("value")).is_file()
    search = ElementTree.parse(galaxy / "swgui_search.xml").getroot()
    offered = {option.get("value") for option in search.find("inputs/param[@name='format']")}
    assert offered
    assert offered <= set(FORMATS)
    (wanted,) = (one.get("from_data_table") for one in search.iter("options"))
    (table,) = ElementTree.parse(galaxy / "tool_data_table_conf.xml.sample").getroot()
    assert table.get("name") == wanted
    assert (galaxy / f"{table.find('file').get('path')}.sample").is_file()
    columns = table.find("columns").text.split(", ")
    (row,) = (galaxy / "test-data" / "swgui_databases.loc").read_text().splitlines()
    assert len(row.split("\t")) == len(columns)


def test_the_command_of_the_snakemake_wrapper_runs(workflows, folder):
    text = (workflows / "snakemake" / "search" / "wrapper.py").read_text("utf-8")
    command = "".join(re.findall(r'^ +"(.*)"$', text, re.MULTILINE))
    values = {"{snakemake.input.query}": "query.fasta", "{snakemake.input.database}": "proteins.fasta",
              "{snakemake.output[0]}": "hits.tsv", "{snakemake.threads}": "1",
              "{extra}": "--format blast6 --top 3", "{log}": ""}  # fmt: skip
    run(command, values)
    check_outputs(folder)


def test_all_collections_name_one_version(workflows):
    texts = [
        path.read_text("utf-8") for path in workflows.rglob("*") if path.suffix in (".yml", ".yaml", ".xml", ".nf")
    ]
    found = {
        number
        for text in texts
        for number in re.findall(r"(?:swgui-core ?[=:]|@TOOL_VERSION@\">)(\d+\.\d+\.\d+)", text)
    }
    assert len(found) == 1
