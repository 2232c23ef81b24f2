import type { WorldDirectory, WorldFile } from '../../World.js'
import { at, type Claim, unless } from './Claim.js'
import { type StorageFailure, said, saidName, saidNode } from './said.js'

const nodeAtSays = (text: string, expected: string): Claim =>
  at(text, (path) => async ({ ports, area }) => {
    const found = said(saidNode)(await ports.nodeAt(area, path)())
    return unless(found === expected, `nodeAt ${saidName(text)} must be ${expected}, and is ${found}`)
  })

/** `nodeAt` tells exactly this node, whatever its name. */
export const nodeAtIs = (path: string, node: WorldFile | WorldDirectory): Claim => nodeAtSays(path, saidNode(node))

export const nodeAtFails = (path: string, failure: StorageFailure): Claim => nodeAtSays(path, failure)

/** A directory, last modified at any time. */
export const nodeAtIsADirectory = (text: string): Claim =>
  at(text, (path) => async ({ ports, area }) => {
    const found = said<{ readonly type: string }>(({ type }) => type)(await ports.nodeAt(area, path)())
    return unless(found === 'dir', `nodeAt ${saidName(text)} must be a dir, and is ${found}`)
  })
