#include "daemon/http_exchange.hpp"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

namespace personad {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using bus::error_code;
using bus::Task;
using persona::ModelError;
using Kind = ModelError::Kind;
using Parser = http::response_parser<http::string_body>;

constexpr std::size_t kPiece = 16384;
constexpr int kMostInterimAnswers = 8;

/// What the parser did not like.
ModelError unusable(error_code ec, const HttpSettings& settings) {
  if (ec == http::error::body_limit) {
    return failure(Kind::unusable, "an answer over " + std::to_string(settings.max_answer_bytes) + " bytes");
  }
  if (ec == http::error::header_limit) {
    return failure(Kind::unusable, "a header over " + std::to_string(settings.max_header_bytes) + " bytes");
  }
  return failure(Kind::unusable, "the answer is no HTTP: " + ec.message());
}

}  // namespace

ModelError failure(Kind kind, std::string words) {
  ModelError error;
  error.kind = kind;
  error.words = std::move(words);
  return error;
}

/// Reads one answer after the other from a wire.
class HttpExchange::Reader {
 public:
  Reader(HttpWire& wire, const HttpSettings& settings, bool& heard_anything)
      : wire_(wire), settings_(settings), heard_anything_(heard_anything) {}

  /// `head_only`: what follows the header is not HTTP any more.
  Task<Problem> read_head_only(HttpAnswer& answer) { return read(answer, true); }
  Task<Problem> read(HttpAnswer& answer) { return read(answer, false); }
  /// Whether nothing is left over, and another request may follow on this wire.
  [[nodiscard]] bool may_be_kept() const { return keep_alive_ && buffer_.size() == 0; }
  [[nodiscard]] bool has_rest() const { return buffer_.size() != 0; }

 private:
  Task<Problem> read(HttpAnswer& answer, bool head_only) {
    for (int interim = 0; interim <= kMostInterimAnswers; ++interim) {
      Parser parser;
      parser.header_limit(static_cast<std::uint32_t>(settings_.max_header_bytes));
      parser.body_limit(settings_.max_answer_bytes);
      parser.eager(true);
      parser.skip(head_only);
      Problem problem = co_await fill(parser);
      if (problem) co_return problem;
      const unsigned status = parser.get().result_int();
      if (status / 100 == 1 && status != 101) continue;
      keep_alive_ = parser.keep_alive();
      answer.status = status;
      answer.retry_after = parser.get()[http::field::retry_after];
      answer.body = std::move(parser.get().body());
      co_return Problem();
    }
    Problem endless = failure(Kind::unusable, "no answer but interim ones");
    co_return endless;
  }

  /// Until the parser has a whole answer.
  Task<Problem> fill(Parser& parser) {
    for (;;) {
      Problem problem = parse(parser);
      if (problem || parser.is_done()) co_return problem;
      const net::mutable_buffer into = buffer_.prepare(kPiece);
      const HttpRead got = co_await wire_.read(into);
      buffer_.commit(got.bytes);
      if (got.bytes != 0) heard_anything_ = true;
      if (!got.ec) continue;
      if (got.ec == net::error::eof) problem = parse_end(parser);
      if (got.ec != net::error::eof) problem = failure(Kind::unreachable, "reading the answer: " + got.ec.message());
      co_return problem;
    }
  }

  /// What is buffered. The parser takes a part at a time, and leaves what it cannot take yet.
  Problem parse(Parser& parser) {
    while (buffer_.size() != 0 && !parser.is_done()) {
      error_code ec;
      const std::size_t taken = parser.put(buffer_.data(), ec);
      buffer_.consume(taken);
      if (ec && ec != http::error::need_more) return unusable(ec, settings_);
      if (taken == 0) break;
    }
    // What the parser waits for is a line: of the header, or of a chunk.
    if (buffer_.size() > settings_.max_header_bytes && !parser.is_done()) {
      return unusable(http::error::header_limit, settings_);
    }
    return std::nullopt;
  }

  Problem parse_end(Parser& parser) {
    if (!parser.got_some() && buffer_.size() == 0) return failure(Kind::unreachable, "closed without an answer");
    error_code ec;
    parser.put_eof(ec);
    if (ec) return failure(Kind::unreachable, "closed in the middle of the answer");
    return std::nullopt;
  }

  HttpWire& wire_;
  const HttpSettings& settings_;
  bool& heard_anything_;
  boost::beast::flat_buffer buffer_;
  bool keep_alive_ = false;
};

HttpExchange::HttpExchange(HttpOrigin& origin) : origin_(origin) {}
HttpExchange::~HttpExchange() = default;

Task<HttpResult> HttpExchange::run(const HttpRequest& request) {
  wire_ = origin_.take_kept();
  if (wire_) {
    HttpResult result = co_await ask(request);
    if (aborted_ || heard_anything_ || std::holds_alternative<HttpAnswer>(result)) co_return result;
  }
  wire_ = std::make_unique<HttpWire>(origin_.executor(), origin_.settings().connect_timeout);
  Problem problem = co_await open();
  if (problem) {
    HttpResult failed = *std::move(problem);
    co_return failed;
  }
  HttpResult result = co_await ask(request);
  co_return result;
}

void HttpExchange::abort() {
  aborted_ = true;
  if (wire_) wire_->abort();
}

Task<HttpExchange::Problem> HttpExchange::open() {
  Problem problem;
  if (const auto* unusable_way = std::get_if<HttpProxies::Unusable>(&origin_.way())) {
    problem = failure(Kind::misconfigured, unusable_way->words);
    co_return problem;
  }
  const HttpUrl& url = origin_.url();
  const auto* proxy = std::get_if<HttpProxy>(&origin_.way());
  std::string words = co_await wire_->dial(proxy ? proxy->host : url.host, proxy ? proxy->port : url.port);
  if (!words.empty()) {
    problem = failure(Kind::unreachable, proxy ? "the proxy: " + words : words);
    co_return problem;
  }
  if (!url.tls) co_return problem;
  if (proxy) problem = co_await tunnel(*proxy);
  if (problem) co_return problem;
  net::ssl::context* context = origin_.trust().context(words);
  if (context == nullptr) {
    problem = failure(Kind::misconfigured, words);
    co_return problem;
  }
  words = co_await wire_->secure(*context, url.host);
  if (!words.empty()) problem = failure(Kind::unreachable, words);
  co_return problem;
}

Task<HttpExchange::Problem> HttpExchange::tunnel(const HttpProxy& proxy) {
  const std::string to = bracketed(origin_.url().host) + ':' + origin_.url().port;
  std::string head = "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n";
  if (!proxy.credentials.empty()) head += "Proxy-Authorization: " + proxy.credentials + "\r\n";
  head += "\r\n";
  Problem problem;
  const error_code ec = co_await wire_->write(head);
  if (ec) {
    problem = failure(Kind::unreachable, "the proxy: " + ec.message());
    co_return problem;
  }
  Reader reader(*wire_, origin_.settings(), heard_anything_);
  HttpAnswer answer;
  problem = co_await reader.read_head_only(answer);
  if (problem) {
    problem->words = "the proxy: " + problem->words;
  } else if (answer.status / 100 != 2) {
    problem = failure(answer.status / 100 == 4 ? Kind::refused : Kind::unreachable,
                      "the proxy answered " + std::to_string(answer.status));
  } else if (reader.has_rest()) {
    problem = failure(Kind::unusable, "the proxy said something before the TLS handshake");
  }
  co_return problem;
}

Task<HttpResult> HttpExchange::ask(const HttpRequest& request) {
  const std::string bytes = head_of(request) + request.body;
  const error_code not_written = co_await wire_->write(bytes);
  // A server may answer (that it will not take this) and close before it has read everything.
  Reader reader(*wire_, origin_.settings(), heard_anything_);
  HttpAnswer answer;
  Problem problem = co_await reader.read(answer);
  if (problem) {
    if (not_written && !heard_anything_) problem->words = "writing the request: " + not_written.message();
    HttpResult failed = *std::move(problem);
    co_return failed;
  }
  if (!not_written && !aborted_ && reader.may_be_kept()) origin_.keep(std::move(wire_));
  HttpResult result = std::move(answer);
  co_return result;
}

std::string HttpExchange::head_of(const HttpRequest& request) const {
  const HttpUrl& url = origin_.url();
  const auto* proxy = std::get_if<HttpProxy>(&origin_.way());
  const bool through_proxy = proxy != nullptr && !url.tls;
  std::string head = request.method + ' ' + (through_proxy ? "http://" + url.authority() : std::string());
  head += request.path + " HTTP/1.1\r\nHost: " + url.authority() + "\r\n";
  head += "User-Agent: personad/" PERSONAD_VERSION "\r\nAccept: application/json\r\n";
  if (!request.bearer.empty()) head += "Authorization: Bearer " + request.bearer + "\r\n";
  if (through_proxy && !proxy->credentials.empty()) head += "Proxy-Authorization: " + proxy->credentials + "\r\n";
  if (request.method != "GET") {
    head += "Content-Type: application/json\r\nContent-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  return head + "\r\n";
}

}  // namespace personad
