import { copyFileSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** A scrap checkout that holds these files and our lint rules, to see what the rules say of them. */
export const planted = (files: ReadonlyArray<readonly [path: string, text: string]>): string => {
  const directory = mkdtempSync(join(tmpdir(), 'canopy-lint-'))
  for (const rule of ['.oxlintrc.json', 'biome.json', 'scripts/pure.grit']) {
    mkdirSync(dirname(join(directory, rule)), { recursive: true })
    copyFileSync(join(root, rule), join(directory, rule))
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  for (const [path, text] of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), `${text}\n`)
  }
  return directory
}
