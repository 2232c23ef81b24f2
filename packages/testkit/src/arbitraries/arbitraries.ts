// One fast-check arbitrary for each type of the domain, whole worlds, and requests to a world.

export { askOf, curiousVisitorPlan, type NodePlan, worldRequest } from './asks.js'
export { accessToken, triggerId, userId } from './credentials.js'
export { name, rawPath, storagePath } from './names.js'
export { directoryItem, failure, nodeVisibility, settings, treeNode, triggerValue, u64, visibility } from './values.js'
export { world, worldAccount, worldNode } from './worlds.js'
