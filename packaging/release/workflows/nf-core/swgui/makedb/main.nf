process SWGUI_MAKEDB {
    tag "$meta.id"
    label 'process_single'

    conda "${moduleDir}/environment.yml"
    container "${ workflow.containerEngine == 'singularity' && !task.ext.singularity_pull_docker_container ?
        'https://depot.galaxyproject.org/singularity/swgui-core:0.2.0--0':
        'biocontainers/swgui-core:0.2.0--0' }"

    input:
    tuple val(meta), path(sequences)

    output:
    tuple val(meta), path("${prefix}.swdb"), emit: database
    path "versions.yml"                    , emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    export SWGUI_CACHE_DIR=swgui_cache SWGUI_CONFIG_DIR=swgui_config SWGUI_DATA_DIR=swgui_data

    swgui makedb ${sequences} -o ${prefix}.swdb --quiet ${args}

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        swgui: \$(swgui --version | sed 's/^swgui //')
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.swdb

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        swgui: \$(swgui --version | sed 's/^swgui //')
    END_VERSIONS
    """
}
