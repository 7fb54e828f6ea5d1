import { PageHeader } from '#ui/data/page-header.tsx'

export default function StoresPage() {
  return <PageHeader title="Stores" />
}
