import { PageHeader } from '#ui/data/page-header.tsx'

export default function CataloguePage() {
  return <PageHeader title="Catalogue" />
}
