import { Settings, StoragePath, visitorMayRequest } from '@canopy/domain'

const settings = Settings.fromRecord({ '/photos': 'public', '/photos/2024': 'private' })

/** Reports whether a visitor may request this path, from settings alone. */
export const isOpen = visitorMayRequest(settings, StoragePath.unsafe('/photos/sea.jpg'))
