#!/bin/bash
# A search in 16 parts as a Slurm array, one GPU each, and the merge once all have ended:
#   array=$(sbatch --parsable --array=1-16 parts.sh)
#   sbatch --dependency=afterok:$array --wrap "swgui merge parts/*.part -o hits.tsv"
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=4
set -e
mkdir -p parts
swgui search -q queries.fasta -d nr.swdb --part "$SLURM_ARRAY_TASK_ID/16" -o "parts/$SLURM_ARRAY_TASK_ID.part" --quiet
