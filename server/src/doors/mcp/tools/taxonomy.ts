import { nearestTexts } from '../../../foundation/kernel/similarity.ts'
import { facetListNames } from '../../../search/taxonomy/taxonomy.ts'
import { callApi } from '../api-call.ts'
import { ownInput } from '../schemas.ts'
import { catalogueData, catalogueOutput, compactValue } from '../text.ts'
import { readsOnly, type Tool } from './tool.ts'

const maxValues = 25

interface TaxonomyItem {
  value: string
  label: string
}

const lookup: Tool<{ facet: string; text?: string }> = {
  name: 'taxonomy_lookup',
  title: 'Look up filter values',
  description:
    'Values that filters accept for a facet, by part of a value or label. Look values up, do not guess them.',
  input: ownInput({
    type: 'object',
    properties: {
      facet: { type: 'string', enum: Object.values(facetListNames) },
      text: { type: 'string', maxLength: 200 },
    },
    required: ['facet'],
    additionalProperties: false,
  }),
  output: catalogueOutput({ values: { type: 'array', items: { type: 'object' } }, total: { type: 'integer' } }),
  annotations: { ...readsOnly, idempotentHint: true },
  async run({ api }, { facet, text = '' }) {
    const taxonomy = await callApi(api, { method: 'GET', path: '/taxonomy' })
    const items = taxonomy[facet] as TaxonomyItem[]
    const matching = findItems(items, text.trim())
    const near = matching.length > 0 ? matching : nearest(items, text)
    const values = (near.length > 0 ? near : items).slice(0, maxValues).map(compactValue)
    return {
      says: [near.length > 0 ? describeMatches(facet, matching.length, values.length) : describeNone(facet)],
      rows: values,
      structured: catalogueData({ values, total: matching.length }),
    }
  },
}

/** The items whose value or label contains the text: equal ones first, then those that begin with it. */
function findItems(items: readonly TaxonomyItem[], text: string): TaxonomyItem[] {
  const wanted = text.toLowerCase()
  const rank = ({ value, label }: TaxonomyItem) =>
    Math.min(...[value.toLowerCase(), label.toLowerCase()].map((each) => rankOf(each, wanted)))
  return items
    .map((item, index) => ({ item, index, rank: rank(item) }))
    .filter((each) => each.rank < 3)
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ item }) => item)
}

function rankOf(text: string, wanted: string): number {
  if (text === wanted) return 0
  if (text.startsWith(wanted)) return 1
  return text.includes(wanted) ? 2 : 3
}

function nearest(items: readonly TaxonomyItem[], text: string): TaxonomyItem[] {
  const byName = new Map(items.flatMap((item) => [item.label, item.value].map((name) => [name, item] as const)))
  return [...new Set(nearestTexts([...byName.keys()], text).map((name) => byName.get(name)!))]
}

function describeNone(facet: string): string {
  return `No value of ${facet} resembles this text. Some of its values:`
}

function describeMatches(facet: string, total: number, shown: number): string {
  if (total === 0) return `No value of ${facet} contains this text. The nearest by spelling:`
  if (total > shown) return `${total} values of ${facet}; the first ${shown}. Give a longer text to see others.`
  return `${total} values of ${facet}.`
}

export const taxonomyTools = [lookup]
