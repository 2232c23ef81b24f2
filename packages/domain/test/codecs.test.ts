import { describe, expect, it } from 'vitest'
import * as AccessToken from '../src/AccessToken.js'
import * as Envelope from '../src/Envelope.js'
import * as Failure from '../src/Failure.js'
import * as DirectoryItem from '../src/Items.js'
import * as Name from '../src/Name.js'
import * as StoragePath from '../src/StoragePath.js'
import * as TreeNode from '../src/TreeNode.js'
import * as TriggerId from '../src/TriggerId.js'
import * as TriggerValue from '../src/TriggerValue.js'
import * as U64 from '../src/U64.js'
import * as UserId from '../src/UserId.js'
import * as Visibility from '../src/Visibility.js'

describe('a codec has the name of its type, which a report of errors shows', () => {
  it.each([
    ['AccessToken', AccessToken.codec],
    ['DirectoryItem', DirectoryItem.codec],
    ['DirContentEnvelope', Envelope.dirContentCodec],
    ['ErrorEnvelope', Envelope.errorCodec],
    ['TreeEnvelope', Envelope.treeCodec],
    ['TriggerPeakEnvelope', Envelope.triggerPeakCodec],
    ['FailureName', Failure.nameCodec],
    ['Name', Name.codec],
    ['NodeVisibility', Visibility.nodeCodec],
    ['StoragePath', StoragePath.codec],
    ['FileTreeNode', TreeNode.fileCodec],
    ['TreeNode', TreeNode.codec],
    ['TriggerId', TriggerId.codec],
    ['TriggerValue', TriggerValue.codec],
    ['U64', U64.codec],
    ['UserId', UserId.codec],
    ['Visibility', Visibility.codec],
  ])('%s', (name, codec) => {
    expect(codec.name).toBe(name)
  })
})
