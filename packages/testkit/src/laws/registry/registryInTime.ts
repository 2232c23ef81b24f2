import { inTime } from '../inTime.js'
import type { RegistryPorts } from '../Subject.js'
import { saidName } from '../storage/said.js'

/** The same ports, of which each answer is waited for so long and no longer. */
export const registryInTime = (ports: RegistryPorts): RegistryPorts => ({
  areaOfToken: (token) => inTime(`areaOfToken ${saidName(token)}`, () => ports.areaOfToken(token)),
  areaOfUser: (user) => inTime(`areaOfUser ${user}`, () => ports.areaOfUser(user)),
  settingsOf: (owner) => inTime(`settingsOf ${owner}`, () => ports.settingsOf(owner)),
  triggerOf: (id) => inTime(`triggerOf ${saidName(id)}`, () => ports.triggerOf(id)),
})
