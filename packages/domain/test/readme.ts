import {
  type AreaOfUserEnv,
  Envelope,
  Items,
  type ListEnv,
  type NodeAtEnv,
  operations,
  Settings,
  type SettingsOfEnv,
  StoragePath,
  visitorMayRequest,
} from '@canopy/domain'

const settings = Settings.fromRecord({ '/photos': 'public', '/photos/2024': 'private' })

/** `true`: the photo inherits from `/photos`. */
export const sea = visitorMayRequest(settings, StoragePath.unsafe('/photos/sea.jpg'))

/** `false`: the nearest setting wins. */
export const party = visitorMayRequest(settings, StoragePath.unsafe('/photos/2024/party.jpg'))

/** `false`: without a setting, a path is private. */
export const diary = visitorMayRequest(settings, StoragePath.unsafe('/diary.txt'))

type Ports = AreaOfUserEnv & SettingsOfEnv & NodeAtEnv & ListEnv

/** Answers a visitor's request for a directory with the JSON of its items, or of the error. */
export const respond = async (user: string, path: string, ports: Ports) => {
  const answer = await operations.userContentDirItems({ user, path }, Items.unbounded)(ports)()
  const listing = 'right' in answer ? await Items.collect(answer.right)() : answer
  return 'right' in listing ? Envelope.dirContentJson(listing.right.items) : Envelope.errorJson(listing.left.error)
}
