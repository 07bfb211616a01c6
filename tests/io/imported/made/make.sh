#!/bin/sh
# Makes what lies in this folder, with NCBI BLAST+ 2.12.0: databases of the FASTA files, and what blastdbcmd says of them.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
cp ./*.fasta taxids.txt "$work"
make() {  # NAME FASTA KIND OPTION...
    name=$1 fasta=$2 kind=$3
    shift 3
    (cd "$work" && makeblastdb -in "$fasta.fasta" -dbtype "$kind" -out "$name" -title "$name" "$@" > makeblastdb.log)
    letter=$(printf %.1s "$kind")
    for ending in in hr sq; do cp "$work/$name.$letter$ending" .; done
    # The letters as FASTA: of stops and gaps '%s' prints bytes that are none.
    (cd "$work" && blastdbcmd -db "$name" -dbtype "$kind" -entry all -outfmt '%o	%a	%T	%t') > "$name.tsv"
    (cd "$work" && blastdbcmd -db "$name" -dbtype "$kind" -entry all -outfmt %f -line_length 1000) | grep -v '^>' > "$name.letters"
}
make v4 proteins prot -blastdb_version 4 -parse_seqids -taxid_map taxids.txt
make v5 proteins prot -blastdb_version 5 -parse_seqids -taxid_map taxids.txt
make plain proteins prot -blastdb_version 5
make ids ids prot -blastdb_version 4 -parse_seqids
make dna4 dna nucl -blastdb_version 4
make dna5 dna nucl -blastdb_version 5 -parse_seqids
make other other prot -blastdb_version 5 -parse_seqids -taxid_map taxids.txt
rm -r "$work"

# With MMseqs2 14-7e284.
mm() {  # NAME FASTA OPTION...
    name=$1 fasta=$2
    shift 2
    mmseqs createdb "$fasta.fasta" "$name" -v 1 "$@"
    rm -f "$name.lookup" "$name.source"
}
mm mmseqs proteins
mm mmseqs_dna dna
printf '0\t9606\n3\t562\n' > mmseqs_mapping

# With DIAMOND 2.1.3.
diamond makedb --in proteins.fasta -d diamond --quiet
