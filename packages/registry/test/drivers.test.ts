import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

/** Prints the loaded drivers before and after a registry is opened. */
const program = `
  import Module from 'node:module'
  import '@canopy/registry'
  import { openRegistryWriter } from '@canopy/registry/admin'
  const drivers = /node_modules\\/(pg[a-z-]*|@photostructure\\/sqlite)\\//
  const loaded = () => [...new Set(Object.keys(Module._cache).flatMap((file) => drivers.exec(file)?.[1] ?? []))]
  const before = loaded()
  await openRegistryWriter({ engine: 'SQLite', path: '/dev/null/r' })()
  console.log(JSON.stringify([before, loaded()]))`

it('a driver is loaded when a registry of its engine is opened', () => {
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: import.meta.dirname })
  expect(JSON.parse(said.toString())).toEqual([[], ['@photostructure/sqlite']])
})
