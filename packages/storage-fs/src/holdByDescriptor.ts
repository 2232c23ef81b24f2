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

const open = (path: string, flags: number): HeldNode => {
  const fd = openSync(path, O_PATH | flags)
  try {
    return { stats: fstatSync(fd, { bigint: true }), reachedBy: `${descriptors}/${fd}`, close: () => closeSync(fd) }
  } catch (thrown) {
    closeSync(fd)
    throw thrown
  }
}

const hold = (path: string): HeldNode => open(path, constants.O_NOFOLLOW)

const realPath = (node: HeldNode): Buffer => readlinkSync(node.reachedBy, { encoding: 'buffer' })

/** Whether the node is now where it should be, seen from the real root: then no link led to it. */
const standsAt = (place: () => Buffer, node: HeldNode): boolean =>
  pipe(
    O.tryCatch(() => realPath(node).equals(place())),
    O.getOrElse(() => false),
  )

/** `none` decides nothing: what is not there, or stands elsewhere, is looked for in the next way. */
const atOnce = (path: string, place: () => Buffer): O.Option<HeldNode> =>
  pipe(
    O.tryCatch(() => hold(path)),
    O.filter((node) => {
      const stands = standsAt(place, node)
      if (!stands) node.close()
      return stands
    }),
  )

const below =
  (path: StoragePath.StoragePath) =>
  (root: HeldNode): Held =>
    pipe(
      atOnce(`${root.reachedBy}${path}`, () => Buffer.concat([realPath(root), Buffer.from(path)])),
      O.match(
        () => descend(hold)(root, StoragePath.segments(path)),
        (node) => {
          root.close()
          return E.right(node)
        },
      ),
    )

const holdRoot = (directory: string): E.Either<Failure.External, HeldNode> =>
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
        atOnce(whole, () => Buffer.from(whole)),
        O.match(() => pipe(holdRoot(directory), E.flatMap(below(path))), E.right),
      )
}
