import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs'
import { Failure, StoragePath } from '@canopy/domain'
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

/** A path of which each byte is a character: so every name can be compared. Empty where it is longer than the kernel tells. */
type Place = string

const placeAt = (reachedBy: string): Place =>
  pipe(
    O.tryCatch(() => readlinkSync(reachedBy, { encoding: 'latin1' })),
    O.getOrElse(() => ''),
  )

const placeOf = (path: string): Place => Buffer.from(path).toString('latin1')

interface Placed extends HeldNode {
  /** Where it was found, seen from the real root. */
  readonly place: Place
}

const open = (path: string, flags: number): Placed => {
  const fd = openSync(path, O_PATH | flags)
  try {
    const reachedBy = `${descriptors}/${fd}`
    const place = placeAt(reachedBy)
    return {
      stats: fstatSync(fd, { bigint: true }),
      reachedBy,
      place,
      stands: () => placeAt(reachedBy) === place,
      close: () => closeSync(fd),
    }
  } catch (thrown) {
    closeSync(fd)
    throw thrown
  }
}

const hold = (path: string): Placed => open(path, constants.O_NOFOLLOW)

/**
 * Held if it is where it should be: then no link led to it. `none` decides nothing: what is not there, or stands
 * elsewhere, is looked for in the next way.
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
        () => descend(hold)(root, StoragePath.segments(path)),
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
