/** npx tsx catalogue/build/write-taxonomy.ts <folder of the outside lists>: rewrites catalogue/taxonomy. */

import { type TaxonomyItem, writeFacet, writePopularity } from './taxonomy/files.ts'
import { revenueTiers, roles, seniorities, themeTypes, trafficTiers } from './taxonomy/fixed-facets.ts'
import { type Row, Sources, slugOf } from './taxonomy/sources.ts'
import { selectTechnologies } from './taxonomy/technologies.ts'

/** The list's display names are short forms; these three are too short for a label. */
const countryLabels: Record<string, string> = {
  BA: 'Bosnia & Herzegovina',
  GB: 'United Kingdom',
  US: 'United States',
}

function toCountry(row: Row): TaxonomyItem {
  const value = row['ISO3166-1-Alpha-2']!
  return { value, label: countryLabels[value] ?? row['CLDR display name']! }
}

/** The two upper levels of the product taxonomy; the value of a child begins with its parent's. */
function toCategory(row: Row): TaxonomyItem {
  const parent = slugOf(row.vertical!)
  const label = row.name!
  return row.level === '1' ? { value: parent, label } : { value: `${parent}_${slugOf(label)}`, label, parent }
}

function byValue(items: TaxonomyItem[]): TaxonomyItem[] {
  return items.toSorted((a, b) => (a.value < b.value ? -1 : 1))
}

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('usage: npx tsx catalogue/build/write-taxonomy.ts <folder of the outside lists>')
const sources = new Sources(folder)
const upperLevels = sources.productCategories().filter((row) => row.level === '1' || row.level === '2')
const technologies = selectTechnologies(sources)

writeFacet('apps', technologies.apps)
writeFacet('categories', byValue(upperLevels.map(toCategory)))
writeFacet('countries', byValue(sources.countries().map(toCountry)))
writeFacet('pixels', technologies.pixels)
writeFacet('revenue_tiers', revenueTiers)
writeFacet('roles', roles)
writeFacet('seniorities', seniorities)
writeFacet('theme_types', themeTypes)
writeFacet('traffic_tiers', trafficTiers)
writePopularity(technologies.popularity)
