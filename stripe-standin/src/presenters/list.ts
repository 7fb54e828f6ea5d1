/** A list inside another object, which holds all there is. */
export function wholeList<T>(url: string, data: readonly T[]) {
  return { object: 'list', data, has_more: false, url }
}
