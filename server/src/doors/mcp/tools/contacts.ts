import { ContactSearchRequest } from '../../../product/contacts/search-contacts.ts'
import { requestApi } from '../api-call.ts'
import { apiInput } from '../schemas.ts'
import { describePage, filterNotes, pageOutput } from './pages.ts'
import { readsOnly, type Tool } from './tool.ts'

const search: Tool = {
  name: 'search_contacts',
  title: 'Search contacts',
  description:
    'People at stores, as previews without channels. Each row costs a search row, each store new to the account a store export.',
  input: apiInput(ContactSearchRequest, filterNotes),
  output: pageOutput,
  annotations: readsOnly,
  async run({ api }, input) {
    const reply = await requestApi(api, { method: 'POST', path: '/contacts/search', body: input })
    return describePage('search_contacts', 'contacts', reply)
  },
}

export const contactTools = [search]
