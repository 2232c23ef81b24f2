import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { OpenStorageModule, StorageModule } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { reasonOf } from './terminal.js'

const scheme = 'module:'

/** Reads `module:/path/adapter.js?parameters`, with the escapes of a URL; a relative path is resolved against `cwd`. */
export const moduleUrlIn =
  (cwd: string) =>
  (text: string): E.Either<string, URL> => {
    const [, escaped = '', parameters = ''] = /^module:([^?#]*)(\?[^#]*)?$/.exec(text) ?? []
    return pipe(
      E.tryCatch(
        () => decodeURIComponent(escaped),
        () => 'must not contain a "%" that is not part of valid UTF-8 percent-encoding: write "%25" for a literal "%"',
      ),
      E.filterOrElse(
        (path) => path !== '',
        () =>
          'must include the path of the module file, such as "module:/opt/adapter.js" or "module:adapter.js?name=value"',
      ),
      E.map((path) => new URL(scheme + pathToFileURL(resolve(cwd, path)).pathname + parameters)),
    )
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
      if (missing.length > 0) throw new Error(`the storage it returns does not implement ${missing.join(', ')}`)
      return bound(storage)
    },
    (thrown) => `the storage module ${file} cannot be used: ${reasonOf(thrown)}`,
  )
}

/** Binds the methods, because an instance of a class has them in its prototype, and needs its `this`. */
const bound = (storage: StorageModule): StorageModule => ({
  nodeAt: storage.nodeAt.bind(storage),
  list: storage.list.bind(storage),
  reachable: storage.reachable.bind(storage),
  close: storage.close.bind(storage),
  ...(storage.openFile && { openFile: storage.openFile.bind(storage) }),
  ...(storage.createArea && { createArea: storage.createArea.bind(storage) }),
})
