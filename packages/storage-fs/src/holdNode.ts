import { existsSync } from 'node:fs'
import type { HoldNode } from './HeldNode.js'
import { holdByDescriptor } from './holdByDescriptor.js'
import { holdByPath } from './holdByPath.js'

/** The best way this system has. */
export const holdNode = (): HoldNode => (existsSync('/proc/self/fd') ? holdByDescriptor : holdByPath)
