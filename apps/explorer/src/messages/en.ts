// All text of the page. Another language is a file of the same shape.
import type { NodeVisibility } from '@canopy/client'

const inherited = {
  public: 'Anyone can find it.',
  hidden: 'Visitors who have the link can see it.',
  private: 'Only the owner can see it.',
}

const own = {
  public: 'Anyone who can open its folder can find it.',
  hidden: 'Visitors who know the name can open it, but it isn’t listed.',
  private: 'Only the owner can see it.',
}

type Plural = (n: number, one: string, many: string) => string

/** Returns a function for numbers with a noun. */
export const pluralIn =
  (language: string): Plural =>
  (n, one, many) =>
    n === 1 ? `1 ${one}` : `${n.toLocaleString(language)} ${many}`

/** Joins the parts that apply. */
export const list = (...parts: ReadonlyArray<string | false>): string => parts.filter(Boolean).join(', ')

const plural = pluralIn('en')

export const en = {
  languageName: 'English',
  tagline: 'Share files. Decide who sees them.',
  explain: 'Owners see all of their files. Everyone else can browse only the public ones.',
  yourFiles: 'Your files',
  filesOf: (user: string) => `User ${user}`,
  visitorView: 'Visitor view',
  signOut: 'Sign out',
  signOutHint: 'Remove the token from this tab',
  signedOut: 'Signed out',
  open: 'Open',
  save: 'Save',
  more: 'More actions',
  credential: 'User ID or access token',
  credentialHint:
    'Enter a user ID, such as 1, to browse public files, or your token to see your own. The token stays in this tab.',
  notCredential: 'This is not a user ID or an access token.',
  userId: 'Your user ID',
  userIdHint: 'Your account number, such as 1. It is remembered in this tab.',
  notUserId: 'A user ID is a whole number.',
  peekLink: 'Look up a trigger',
  apiLink: 'API reference',
  start: 'Home',
  keys: {
    title: 'Keyboard shortcuts',
    move: 'Select an item',
    open: 'Open the selected item',
    up: 'Go to the parent folder',
    filter: 'Filter by name',
    help: 'Keyboard shortcuts',
    ends: 'First or last item',
    files: 'Previous or next file',
    close: 'Close',
  },
  breadcrumbs: 'Path',
  foldedCrumbs: (n: number) => `Show ${plural(n, 'more folder', 'more folders')}`,
  copyLink: 'Copy link',
  copyPublicLink: 'Copy public link',
  copyPath: 'Copy path',
  copied: {
    link: 'Link copied',
    ownerLink: 'Link copied. Opening it requires your token.',
    publicLink: 'Public link copied',
    privateLink: 'Public link copied, but this item is private, so visitors can’t open it.',
    path: 'Path copied',
    command: 'Command copied',
    failed: 'Your browser blocked copying.',
  },
  offer: {
    title: 'Replace the token in this tab?',
    explain: 'The link you opened contains another access token.',
    accept: 'Use the token from the link',
  },
  theme: { label: 'Theme', system: 'system', light: 'light', dark: 'dark' },
  language: 'Language',
  columns: { name: 'Name', visibility: 'Visibility', size: 'Size', time: 'Modified' },
  filter: 'Filter names',
  clearFilter: 'Clear filter',
  directoriesFirst: 'Folders first',
  natural: '2 before 10',
  panels: { outline: 'Folders', why: 'Visibility details' },
  preview: {
    label: 'View',
    owner: 'Owner',
    visitor: 'Visitor',
    some: (count: string, all: string) => `Visitors see ${count} of ${all}`,
  },
  tree: {
    title: 'Folders',
    toggle: (name: string) => `Expand or collapse ${name}`,
    siblings: (name: string) => `Show all folders in ${name}`,
    rest: 'Load more',
    expandAll: 'Expand all',
    progress: (count: string) => `${count} loaded`,
    cancel: 'Cancel',
  },
  chain: {
    title: 'Visibility details',
    here: (visibility: string) => `${visibility}, set here or by a rule`,
    from: (name: string) => `from ${name}`,
    above: 'Set on a parent folder',
    aboveScope: 'Set on a folder your token doesn’t cover',
    closed: 'not accessible to visitors',
    notCovered: 'not covered by this token',
    load: (n: number) => `Load ${plural(n, 'folder', 'folders')} in between`,
  },
  access: {
    everyone: 'Anyone can find it.',
    listed: 'Visitors who can open its folder can find it there.',
    byName: 'Visitors who know the name can open it, but it isn’t listed.',
    byPathOnly: 'Visitors who know the path can open it, but they can’t open its folder.',
    parentsUnknown: 'Visitors who know the path can open it. Whether it is listed depends on its parent folders.',
    private: 'Only the owner can see it.',
  },
  change: {
    title: 'Change visibility',
    explain: 'This page is read-only. Run this command where Canopy is installed:',
    copy: 'Copy command',
  },
  files: {
    download: 'Download',
    downloadFolder: 'Download folder',
    downloading: (size: string) => `Downloading: ${size} so far`,
    downloaded: 'Download complete',
    loading: (size: string) => `Loading: ${size} so far`,
    show: (size: string) => `Show (${size})`,
    previous: 'Previous file',
    next: 'Next file',
    first: 'This is the first file.',
    last: 'This is the last file.',
    cut: 'Only the beginning is shown. Download the file to see the rest.',
    failures: {
      off: 'This server shares only names and sizes, not file contents. You can still browse, filter and copy links.',
      'too large': 'This folder is too large to download as one archive. Download its subfolders instead.',
      refused: 'You no longer have access to this file.',
      gone: 'This file has been moved or deleted.',
      failed: 'Couldn’t load the file. Try again later.',
      'cannot show': 'Your browser can’t show this file. Download it instead.',
    },
  },
  map: {
    title: 'Disk usage',
    show: 'Show disk usage',
    load: 'load',
    loadAll: 'Load all',
    unknown: (name: string) => `${name}: not loaded`,
    atLeast: (size: string) => `at least ${size}`,
    others: (count: string) => `${count} more`,
    nothing: 'Nothing here takes up space.',
    failed: 'Couldn’t load all sizes.',
  },
  docs: {
    title: 'HTTP API',
    contents: 'Operations',
    forPrograms: 'the machine-readable version',
    values: 'Types',
    request: 'Request',
    responses: 'Responses',
    tryIt: 'Try it',
    send: 'Send',
    optional: 'optional',
    places: { path: 'path', query: 'query', header: 'header' },
    arrayOf: 'array of',
    or: 'or',
    headers: (n: number) => plural(n, 'header', 'headers'),
    took: (ms: string, size: string) => `${ms} ms, ${size}`,
    cut: (size: string) => `Showing the first ${size}. Run the command to get the whole response.`,
  },
  entriesLabel: 'Items',
  listing: (name: string) => `Items in ${name}`,
  visibility: { public: 'public', hidden: 'hidden', private: 'private' },
  meaning: ({ inherited: isInherited, visibility }: NodeVisibility) =>
    isInherited
      ? `${inherited[visibility]} Inherited from a parent folder.`
      : `${own[visibility]} Set here or by a rule.`,
  kinds: {
    folder: 'Folder',
    file: 'File',
    image: 'Image',
    video: 'Video',
    audio: 'Audio',
    archive: 'Archive',
    text: 'Document',
    code: 'Code',
  },
  kind: 'Type',
  path: 'Path',
  bytes: (count: string) => (count === '1' ? '1 byte' : `${count} bytes`),
  total: (files: number, folders: number, size: string) =>
    list(
      (files > 0 || folders === 0) && plural(files, 'file', 'files'),
      folders > 0 && plural(folders, 'folder', 'folders'),
      size,
    ),
  filtered: (total: string, all: string) => `${total} (filtered from ${all})`,
  foldersNotCounted: 'The size doesn’t include folders that aren’t loaded.',
  entriesSoFar: (count: string) => `${count} ${count === '1' ? 'item' : 'items'} so far`,
  ownHere: (hidden: number, isPrivate: number) =>
    list(hidden > 0 && `${hidden} hidden`, isPrivate > 0 && `${isPrivate} private`),
  readOnly: 'Read-only',
  loading: 'Loading',
  loadingAll: (count: string) => `Loading the whole folder: ${count} ${count === '1' ? 'item' : 'items'} so far`,
  stopLoadingAll: 'Show unsorted',
  notMore: 'Couldn’t load the rest.',
  tryAgain: 'Try again',
  tryingIn: (seconds: number) => `Trying again in ${plural(seconds, 'second', 'seconds')}.`,
  up: 'Go to the parent folder',
  nothingFound: (filter: string) => `No names contain “${filter}”.`,
  search: {
    title: 'Search results',
    below: 'Search subfolders',
    here: 'Search this folder only',
    cancel: 'Cancel',
    states: {
      searching: (n: number) => `Searching: ${n.toLocaleString('en')} found so far`,
      complete: (n: number) => (n === 0 ? 'Nothing found' : plural(n, 'result', 'results')),
      full: (n: number) => `The first ${n.toLocaleString('en')} results. Type more of the name to narrow them down.`,
      cancelled: (n: number) => `Cancelled: ${plural(n, 'result', 'results')}`,
      refused: () => 'You no longer have access to this folder.',
      failed: (n: number) => `Couldn’t finish the search: ${plural(n, 'result', 'results')} found before it stopped`,
    },
  },
  states: {
    empty: ['Nothing here', 'This folder is empty, or you can’t see anything in it.'],
    private: [
      'Not accessible to visitors',
      'Only the owner can tell whether something is here. If that’s you, enter your token.',
    ],
    outside: [
      'Not covered by this token',
      'Your token covers only some of the files. Enter the path you were given with it.',
    ],
    closed: ['Not accessible to visitors', 'Visitors can’t open this or tell whether it exists.'],
    'invalid token': ['This token doesn’t work', 'It may be mistyped, expired or revoked. Ask for a new one.'],
    'no token': ['Token required', 'This link is for the owner of the files. Enter your token. It stays in this tab.'],
    'not verified': ['Not verified yet', 'An administrator must verify this account before its tokens will work.'],
    'file not found': ['Not found', 'There is no file or folder at this path. It may have been moved or deleted.'],
    'type mismatch': ['Not a folder', 'Part of this path is a file.'],
    'trigger not found': [
      'No such trigger',
      'The ID may be mistyped, or the trigger may have expired or been deleted.',
    ],
    external: ['Storage unavailable', 'The service can’t reach its storage at the moment.'],
    unreadable: [
      'Can’t read this folder',
      'It exists, but the service can’t read it. You may still be able to open other folders.',
    ],
    busy: ['The service is busy', 'Too many requests are waiting at the moment.'],
    'too many requests': [
      'Too many attempts',
      'Too many incorrect tokens or trigger IDs were entered from your IP address.',
    ],
    away: ['The service isn’t responding', 'It may be restarting, or the connection may be down.'],
    offline: ['You’re offline', 'The page will load when you’re back online.'],
    unexpected: [
      'Unexpected response',
      'A proxy or another device on the network may have responded instead of the service.',
    ],
    unknown: ['Page not found', 'There is nothing at this address.'],
  },
  peek: {
    title: 'Trigger',
    note: 'Viewing a trigger doesn’t fire it.',
    id: 'Trigger ID',
    idHint: 'The ID is secret. It stays in this tab.',
    look: 'Look up',
    forget: 'Forget this trigger',
    type: 'Type',
    value: 'Value',
    text: 'Raw JSON',
    more: (count: string) => `Show ${count} more`,
    members: (count: number) => plural(count, 'member', 'members'),
  },
}

export type Messages = typeof en
