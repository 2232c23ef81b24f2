/** So many names, in byte order; nothing in them needs escaping, in a URL or in JSON. */
export const names = (count, prefix = 'report-', suffix = '.pdf') =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(7, '0')}${suffix}`)
