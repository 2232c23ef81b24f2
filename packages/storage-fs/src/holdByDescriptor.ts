import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs'
import { Failure, StoragePath } from '@canopy/domain'
import { errnoOf } from '@canopy/files'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { descend } from './descend.js'
import type { Held, HeldNode, HoldNode } from './HeldNode.js'

// Linux: open the name, not what it holds, so that no FIFO blocks and no device wakes. Node has no constant for it.
const O_PATH = 0x200000

// The kernel's own name for this process: a path through the link `self` costs a tenth more, for each entry of a listing.
const descriptors = pipe(
  O.tryCatch(() => `/proc/${readlinkSync('/proc/self')}/fd`),
  O.getOrElse(() => '/proc/self/fd'),
)

/** A path of which each byte is a character: so every name can be compared. Empty where it is longer than the kernel reports. */
type Place = string

/** No error of this call says anything about the path that is resolved, so none keeps its code. */
const placeAt = (reachedBy: string): Place => {
  try {
    return readlinkSync(reachedBy, { encoding: 'latin1' })
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENAMETOOLONG') return ''
    throw new Error(`the system does not tell where an open file is: ${String(thrown)}`, { cause: thrown })
  }
}

const placeOf = (path: string): Place => Buffer.from(path).toString('latin1')

interface Placed extends HeldNode {
  /** Where it was found, seen from the real root. */
  readonly place: Place
}

/** A descriptor that reads nothing has nothing to report when it is closed. */
const close = (fd: number): void => {
  try {
    closeSync(fd)
  } catch {
    // Linux has released it all the same.
  }
}

const open = (path: string, flags: number): Placed => {
  const fd = openSync(path, O_PATH | flags)
  const reachedBy = `${descriptors}/${fd}`
  try {
    const place = placeAt(reachedBy)
    return {
      stats: () => fstatSync(fd, { bigint: true }),
      reachedBy,
      place,
      stands: () => placeAt(reachedBy) === place,
      close: () => close(fd),
    }
  } catch (thrown) {
    close(fd)
    throw thrown
  }
}

const hold = (path: string): Placed => open(path, constants.O_NOFOLLOW)

/**
 * Held if it is where it should be: then no link led to it. `none` decides nothing: what is not there, stands elsewhere or
 * fails is looked for in the next way.
 */
const atOnce = (path: string, place: Place): O.Option<HeldNode> =>
  pipe(
    O.tryCatch(() => hold(path)),
    O.filter((node) => {
      if (node.place !== place) node.close()
      return node.place === place
    }),
  )

const below =
  (path: StoragePath.StoragePath) =>
  (root: Placed): Held =>
    pipe(
      // Below a place that is not known, a link could lead to the same path from the real root.
      root.place === '' ? O.none : atOnce(`${root.reachedBy}${path}`, root.place + placeOf(path)),
      O.match(
        () => descend(hold)(root, path),
        (node) => {
          root.close()
          return E.right(node)
        },
      ),
    )

const holdRoot = (directory: string): E.Either<Failure.External, Placed> =>
  E.tryCatch(() => open(directory, constants.O_DIRECTORY), Failure.external)

/**
 * Race-free: a directory that is swapped for a link meanwhile leads nowhere. The common case takes one step: no link is on
 * the whole way. Else the way to the area may have links, and none below it. What cannot be held and verified so either
 * (nothing there, a link or a file in the way, a path longer than the kernel takes) is decided name by name.
 */
export const holdByDescriptor: HoldNode = (directory, path) => {
  const whole = `${directory}${path}`
  return path === StoragePath.root
    ? holdRoot(directory)
    : pipe(
        atOnce(whole, placeOf(whole)),
        O.match(() => pipe(holdRoot(directory), E.flatMap(below(path))), E.right),
      )
}
