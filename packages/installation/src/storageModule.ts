import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { OpenStorageModule, StorageModule } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { reasonOf } from './terminal.js'

const scheme = 'module:'

/** Reads `module:/path/adapter.js?parameters`; a relative path is resolved against `cwd`. */
export const moduleUrlIn =
  (cwd: string) =>
  (text: string): E.Either<string, URL> => {
    const [, path = '', parameters = ''] = /^module:([^?#]*)(\?[^#]*)?$/.exec(text) ?? []
    return path === ''
      ? E.left('must name the file of the module, such as "module:/opt/adapter.js" or "module:adapter.js?name=value"')
      : E.right(new URL(scheme + pathToFileURL(isAbsolute(path) ? path : resolve(cwd, path)).pathname + parameters))
  }

const required = ['nodeAt', 'list', 'reachable', 'close'] as const satisfies ReadonlyArray<keyof StorageModule>

/** Imports a module and opens its storage. `left` is for the operator. */
export const openStorageModule = (url: URL): TE.TaskEither<string, StorageModule> => {
  const file = fileURLToPath(`file://${url.pathname}`)
  return TE.tryCatch(
    async () => {
      const { default: open } = (await import(pathToFileURL(file).href)) as { default?: OpenStorageModule }
      if (typeof open !== 'function') throw new Error('its default export is not a function')
      const storage = await open(url.href)
      const missing = required.filter((name) => typeof storage?.[name] !== 'function')
      if (missing.length > 0) throw new Error(`its storage lacks ${missing.join(', ')}`)
      return storage
    },
    (thrown) => `the storage module ${file} cannot be used: ${reasonOf(thrown)}`,
  )
}
