/** Stands between two others, in a ring: a list is what lies between its ends and themselves. */
export interface Link {
  before: Link
  after: Link
}

/** In no list: between itself and itself. */
export const alone = <A extends object>(of: A): A & Link => {
  const link = of as A & Link
  link.before = link
  link.after = link
  return link
}

/** What has lived long holds nothing new then: the quick rounds of the collector would take that for used. */
export const unlink = (link: Link): void => {
  link.before.after = link.after
  link.after.before = link.before
  alone(link)
}

export const append = (ends: Link, link: Link): void => {
  link.before = ends.before
  link.after = ends
  ends.before.after = link
  ends.before = link
}

export const isEmpty = (ends: Link): boolean => ends.after === ends
