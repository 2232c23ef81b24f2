import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs'
import { Failure, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { descend } from './descend.js'
import type { HeldNode, HoldNode } from './HeldNode.js'

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

/** Whether the node is now where its path says, seen from the real root: then no link led to it. */
const standsAt = (root: HeldNode, path: StoragePath.StoragePath, node: HeldNode): boolean =>
  realPath(node).equals(Buffer.concat([realPath(root), Buffer.from(path)]))

/** The common case in one step. `none` decides nothing: then each name is held by itself. */
const atOnce = (root: HeldNode, path: StoragePath.StoragePath): O.Option<HeldNode> =>
  pipe(
    O.tryCatch(() => hold(`${root.reachedBy}${path}`)),
    O.filter((node) => {
      const stands = pipe(
        O.tryCatch(() => standsAt(root, path, node)),
        O.getOrElse(() => false),
      )
      if (!stands) node.close()
      return stands
    }),
  )

/**
 * Race-free: a directory that is swapped for a link meanwhile leads nowhere. What cannot be held and verified at once
 * (nothing there, a link or a file in the way, a path longer than the kernel takes) is decided name by name.
 */
export const holdByDescriptor: HoldNode = (directory, path) =>
  pipe(
    E.tryCatch(() => open(directory, constants.O_DIRECTORY), Failure.external),
    E.flatMap((root) =>
      path === StoragePath.root
        ? E.right(root)
        : pipe(
            atOnce(root, path),
            O.match(
              () => descend(hold)(root, StoragePath.segments(path)),
              (node) => {
                root.close()
                return E.right(node)
              },
            ),
          ),
    ),
  )
