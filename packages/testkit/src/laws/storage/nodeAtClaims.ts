import type { Failure } from '@canopy/domain'
import type { WorldDirectory, WorldFile } from '../../World.js'
import { at, type StorageClaim, unless } from './StorageClaim.js'
import { said, saidName, saidNode } from './said.js'

const nodeAtSays = (text: string, expected: string): StorageClaim =>
  at(text, (path) => async ({ ports, area }) => {
    const found = said(saidNode)(await ports.nodeAt(area, path)())
    return unless(found === expected, `nodeAt ${saidName(text)} must be ${expected}, and is ${found}`)
  })

/** `nodeAt` tells exactly this node, whatever its name. */
export const nodeAtIs = (path: string, node: WorldFile | WorldDirectory): StorageClaim =>
  nodeAtSays(path, saidNode(node))

export const nodeAtFails = (path: string, failure: Failure.OfStorage['error']): StorageClaim =>
  nodeAtSays(path, failure)

/** This node, where one like it could be planted at all. */
export const nodeAtIsIfThere = (text: string, node: WorldFile): StorageClaim =>
  at(text, (path) => async (planted) => {
    const found = said(saidNode)(await planted.ports.nodeAt(planted.area, path)())
    return found === 'file not found' ? [] : nodeAtIs(text, node)(planted)
  })

/** A directory, last modified at any time. */
export const nodeAtIsADirectory = (text: string): StorageClaim =>
  at(text, (path) => async ({ ports, area }) => {
    const found = said<{ readonly type: string }>(({ type }) => type)(await ports.nodeAt(area, path)())
    return unless(found === 'dir', `nodeAt ${saidName(text)} must be a dir, and is ${found}`)
  })
