export interface TaxonomyItem {
  value: string
  label: string
  deprecated?: true
  /** The category above, of a category. */
  parent?: string | null
  /** The use of a technology. */
  category?: string | null
  /** The bounds of a tier: inclusive, and exclusive. */
  min?: number | null
  max?: number | null
}

export const taxonomyLists = [
  'categories',
  'countries',
  'traffic_tiers',
  'revenue_tiers',
  'theme_types',
  'roles',
  'seniorities',
  'apps',
  'pixels',
] as const
export type TaxonomyList = (typeof taxonomyLists)[number]

/** The reply of `GET /taxonomy`. */
export type TaxonomyReply = Record<TaxonomyList, TaxonomyItem[]>

/** A value with its place in the tree of categories: 0 at the top, and for all lists without a tree. */
export interface TaxonomyNode extends TaxonomyItem {
  depth: number
  /** In lower case and without accents, for searching. */
  searchText: string
}

/** The values of all lists with their labels. Immutable; made once for each version of the taxonomy. */
export class Taxonomy {
  readonly #nodes: Record<TaxonomyList, TaxonomyNode[]>
  readonly #byValue: Record<TaxonomyList, Map<string, TaxonomyNode>>

  constructor(reply: TaxonomyReply) {
    const each = <T>(make: (list: TaxonomyList) => T) =>
      Object.fromEntries(taxonomyLists.map((list) => [list, make(list)])) as Record<TaxonomyList, T>
    // Countries come in the order of their codes, which users do not look for.
    const countries = [...reply.countries].sort((a, b) => a.label.localeCompare(b.label))
    this.#nodes = each((list) => inTreeOrder(list === 'countries' ? countries : reply[list]))
    this.#byValue = each((list) => new Map(this.#nodes[list].map((node) => [node.value, node])))
  }

  /** In the order of display: a category is followed by those below it. */
  nodes(list: TaxonomyList): readonly TaxonomyNode[] {
    return this.#nodes[list]
  }

  find(list: TaxonomyList, value: string): TaxonomyNode | undefined {
    return this.#byValue[list].get(value)
  }

  /** The label of a value; the value itself where the taxonomy does not know it. */
  label(list: TaxonomyList, value: string): string {
    return this.find(list, value)?.label ?? value
  }

  /**
   * The nodes whose label or value has the words of `text`, with the categories above them, so that the tree stays readable.
   * All of them for an empty text.
   */
  search(list: TaxonomyList, text: string): readonly TaxonomyNode[] {
    return searchNodes(this.#nodes[list], text)
  }
}

/** The nodes that have the words of `text`, with those above them; all of them for an empty text. */
export function searchNodes(nodes: readonly TaxonomyNode[], text: string): readonly TaxonomyNode[] {
  const words = toSearchText(text).split(' ').filter(Boolean)
  if (words.length === 0) return nodes
  const above: TaxonomyNode[] = []
  const kept = new Set<TaxonomyNode>()
  for (const node of nodes) {
    above.length = node.depth
    above[node.depth] = node
    if (words.every((word) => node.searchText.includes(word))) for (const each of above) kept.add(each)
  }
  return nodes.filter((node) => kept.has(node))
}

export function toSearchText(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[\s_&,/]+/gu, ' ')
    .trim()
}

function inTreeOrder(items: readonly TaxonomyItem[]): TaxonomyNode[] {
  const known = new Set(items.map(({ value }) => value))
  const below = new Map<string | null, TaxonomyItem[]>()
  for (const item of items) {
    const parent = item.parent && known.has(item.parent) ? item.parent : null
    const siblings = below.get(parent)
    if (siblings) siblings.push(item)
    else below.set(parent, [item])
  }
  const nodes: TaxonomyNode[] = []
  const add = (parent: string | null, depth: number) => {
    for (const item of below.get(parent) ?? []) {
      nodes.push({ ...item, depth, searchText: `${toSearchText(item.label)} ${toSearchText(item.value)}` })
      add(item.value, depth + 1)
    }
  }
  add(null, 0)
  return nodes
}
