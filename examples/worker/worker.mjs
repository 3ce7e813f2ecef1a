// The worker in front: it finds the object of the caller's key, and passes on what the object lets through.

/** What is limited; a real one would fetch its origin. */
const origin = async (request) => Response.json({ path: new URL(request.url).pathname });

/** A write weighs as much as five reads. */
const costOf = ({ method }) => (method === "GET" || method === "HEAD" ? 1 : 5);

export default {
  /** `env` has the objects as `LIMITER`, and in `WHEN_BROKEN` whether requests then pass ("open") or not ("closed"). */
  async fetch(request, env) {
    // The edge writes this field, whatever the client sent.
    const key = request.headers.get("cf-connecting-ip") ?? "unknown";
    let judged;
    try {
      const object = env.LIMITER.get(env.LIMITER.idFromName(key));
      judged = await object.fetch(`https://limiter/?cost=${costOf(request)}`);
    } catch (error) {
      console.error(`the limiter of ${key} does not answer: ${error.message}`);
      return env.WHEN_BROKEN === "open" ? origin(request) : new Response(null, { status: 503 });
    }
    if (!judged.ok) return judged;
    const fetched = await origin(request);
    // A copy, since the header of what was fetched is not to be changed.
    const response = new Response(fetched.body, fetched);
    for (const [name, value] of judged.headers) response.headers.set(name, value);
    return response;
  },
};
