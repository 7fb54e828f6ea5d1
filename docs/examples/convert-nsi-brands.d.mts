export interface BrandStore {
  domain: string
  name: string
  category?: string
  country?: string
}

export function convertBrands(csv: string): BrandStore[]
