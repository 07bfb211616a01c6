// nextflow run search.nf --queries 'queries/*.fasta' --proteins proteins.fasta
// Status 130 and 143 are interruptions: those are tried again, mistakes (1, 2) are not.
params.queries = 'queries/*.fasta'
params.proteins = 'proteins.fasta'

process database {
    input:
    path proteins

    output:
    path 'proteins.swdb'

    script:
    """
    swgui makedb ${proteins} -o proteins.swdb --quiet
    """
}

process search {
    cpus 2
    errorStrategy { task.exitStatus in [130, 143] ? 'retry' : 'terminate' }
    publishDir 'hits', mode: 'copy'

    input:
    path query
    each path(database)

    output:
    path "${query.baseName}.tsv"

    script:
    """
    swgui search -q ${query} -d ${database} -o ${query.baseName}.tsv --format blast6 --columns std,qcovs --engine cpu --threads ${task.cpus} --quiet --log swgui.log
    """
}

workflow {
    search(channel.fromPath(params.queries), database(file(params.proteins)))
}
