/** The proxies that requests may go through. */
import * as HttpAddress from "../HttpAddress.ts"

/** As variables name them (`RemoteRequests.proxyVariables`). What `NO_PROXY` has is no proxy. */
export const proxyAddresses = (
  { NO_PROXY: _direct, ...proxies }: Readonly<Record<string, string>>
): ReadonlyArray<HttpAddress.HttpAddress> =>
  Object.values(proxies).flatMap((text) =>
    // people leave out its scheme
    HttpAddress.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`) ?? []
  )
