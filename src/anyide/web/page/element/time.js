/** Times as a person says them. */

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** @param {number} seconds since 1970 */
export function agoOf(seconds) {
  const passed = Date.now() / 1000 - seconds;
  if (passed < 45) return "now";
  if (passed < 3600) return words.format(-Math.round(passed / 60), "minute");
  if (passed < 86_400) return words.format(-Math.round(passed / 3600), "hour");
  return words.format(-Math.round(passed / 86_400), "day");
}
