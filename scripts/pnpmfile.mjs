/** Removes from published manifests the fields and conditions that only this repository uses. */
export const hooks = {
  beforePacking: (manifest) => {
    delete manifest.devDependencies
    delete manifest.scripts
    for (const target of Object.values(manifest.exports ?? {})) delete target['canopy-source']
    return manifest
  },
}
