import type { DirectoryItem, Visibility } from '@canopy/client'
import { useMemo } from 'preact/hooks'
import { useFolderSizes } from './folderSizes.js'
import { formatCount, formatSize } from './format.js'
import type { Listing } from './ListingLoader.js'
import { words } from './preferences.js'
import { isPreview } from './routes.js'

type Items = ReadonlyArray<DirectoryItem>

const countOwn = (items: Items, which: Visibility): number =>
  items.filter(({ visibility: { inherited, visibility } }) => !inherited && visibility === which).length

interface FooterProps {
  readonly listing: Listing
  /** Without the entries that a preview hides. */
  readonly items: Items
  /** The filtered entries; `undefined` while the listing loads. */
  readonly rows: Items | undefined
}

/** The number of files and folders in view, and their size as far as it is known. */
const Total = ({ listing, items, rows = items }: FooterProps) => {
  const sizes = useFolderSizes(listing.place)
  const files = useMemo(() => rows.reduce((count, { is_file }) => count + (is_file ? 1 : 0), 0), [rows])
  const bytes = useMemo(
    () => rows.reduce((sum, { is_file, name, size }) => sum + (is_file ? size : (sizes?.get(name) ?? 0n)), 0n),
    [rows, sizes],
  )
  const isPartial = useMemo(() => rows.some(({ is_file, name }) => !is_file && !sizes?.has(name)), [rows, sizes])
  const total = words().total(files, rows.length - files, formatSize(bytes))
  return (
    <span role="status" title={isPartial ? words().foldersNotCounted : undefined}>
      {rows.length < items.length ? words().filtered(total, formatCount(items.length)) : total}
    </span>
  )
}

const OwnVisibilities = ({ items }: { readonly items: Items }) => {
  const text = useMemo(() => words().ownHere(countOwn(items, 'hidden'), countOwn(items, 'private')), [items, words()])
  return <span class="wide">{text}</span>
}

export const Footer = (props: FooterProps) => {
  const { listing, items } = props
  const { complete, place } = listing
  const preview = isPreview(place.view)
  return (
    <footer>
      {complete ? <Total {...props} /> : <span role="status">{words().entriesSoFar(formatCount(items.length))}</span>}
      {complete && place.view.as === 'owner' && !preview && <OwnVisibilities items={props.rows ?? items} />}
      <span class="end">
        {preview && complete
          ? words().preview.some(formatCount(items.length), formatCount(listing.items.length))
          : words().readOnly}
      </span>
    </footer>
  )
}
