import { Settings, StoragePath, visitorMaySee } from '@canopy/domain'

const settings = Settings.fromRecord({ '/photos': 'public', '/photos/2024': 'private' })

/** `true`: the photo inherits from `/photos`. */
export const sea = visitorMaySee(settings, StoragePath.unsafe('/photos/sea.jpg'))

/** `false`: the nearest setting wins. */
export const party = visitorMaySee(settings, StoragePath.unsafe('/photos/2024/party.jpg'))

/** `false`: without a setting, a path is private. */
export const diary = visitorMaySee(settings, StoragePath.unsafe('/diary.txt'))
