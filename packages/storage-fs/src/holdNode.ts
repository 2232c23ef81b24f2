import { statfsSync } from 'node:fs'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import type * as IOE from 'fp-ts/lib/IOEither.js'
import type { HoldNode } from './HeldNode.js'
import { holdByDescriptor } from './holdByDescriptor.js'
import { holdByPath } from './holdByPath.js'

const isLinux = process.platform === 'linux'

/** The best way this system has. On Linux no other than by descriptor: by path a link could be swapped in. */
export const holdNode: HoldNode = isLinux ? holdByDescriptor : holdByPath

/** The type of proc(5), as statfs(2) reports it. */
const procType = 0x9fa0

const procMissing = (cause?: unknown): Failure.External =>
  Failure.external(
    new Error('/proc is not mounted here, and Canopy resolves paths through it: run `mount -t proc proc /proc`', {
      cause,
    }),
  )

/** On Linux, whether `/proc` is there, without which every question to the storage is answered `external`. */
export const procIsMounted: IOE.IOEither<Failure.External, void> = () =>
  isLinux
    ? pipe(
        E.tryCatch(() => statfsSync('/proc').type, procMissing),
        E.filterOrElse(
          (type) => type === procType,
          () => procMissing(),
        ),
        E.map(constVoid),
      )
    : E.right(undefined)
